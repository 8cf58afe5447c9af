// Plays steps one after the other until the last; a piece that has one stops it when it leaves the page.
import type { ReactiveController, ReactiveControllerHost } from "lit";

export interface Played {
  at: () => number;
  last: () => number;
  /** Milliseconds from one step to the next. */
  pace: () => number;
  goTo: (step: number) => void;
}

export class StepPlayer implements ReactiveController {
  playing = false;
  private timer = 0;
  private readonly host: ReactiveControllerHost;
  private readonly played: Played;

  constructor(host: ReactiveControllerHost, played: Played) {
    [this.host, this.played] = [host, played];
    host.addController(this);
  }

  hostDisconnected(): void {
    this.stop();
  }

  stop(): void {
    this.playing = false;
    clearTimeout(this.timer);
    this.host.requestUpdate();
  }

  /** Plays from where it is, from the first step if it is at the last; stops if it plays. */
  toggle(): void {
    if (this.playing) return this.stop();
    this.playing = true;
    if (this.played.at() >= this.played.last()) this.played.goTo(0);
    this.host.requestUpdate();
    this.tick();
  }

  private tick(): void {
    this.timer = window.setTimeout(() => {
      if (this.played.at() >= this.played.last()) return this.stop();
      this.played.goTo(this.played.at() + 1);
      this.tick();
    }, this.played.pace());
  }
}
