// Views and lessons are fetched when they are first opened, so that the first load stays small however many there are.
export type Load<T = unknown> = () => Promise<T>;

export class Parts {
  /** How many are being fetched. */
  waiting = 0;
  private readonly found = new Map<Load, unknown>();
  private readonly asked = new Set<Load>();
  private readonly missed = new Set<Load>();

  constructor(private readonly changed: () => void) {}

  /** What `load` fetches, or null until it is there; `changed` is called when it is, or when it failed. */
  get<T>(load: Load<T>): T | null {
    if (!this.asked.has(load)) void this.fetch(load);
    return (this.found.get(load) as T | undefined) ?? null;
  }

  /** Whether it could not be fetched: the studio has ended, or was updated since the page was opened. */
  failed(...loads: Load[]): boolean {
    return loads.some((load) => this.missed.has(load));
  }

  private async fetch(load: Load): Promise<void> {
    this.asked.add(load);
    this.waiting++;
    try {
      this.found.set(load, await load());
    } catch {
      this.missed.add(load);
    }
    this.waiting--;
    this.changed();
  }
}
