// The translate view without a server: a notebook or a file holds the answer, and the same component draws it.
import type { TranslateAnswer } from "./contract";
import { firstLanguage, language } from "./i18n";
import { studio } from "./studio";
import css from "./theme.css?inline";
import "./views/translate-view";

const sheet = document.createElement("style");
sheet.textContent = `${css} html { background: transparent; } body { padding: 0.5rem; }`;
document.head.append(sheet);
language.set(firstLanguage("", null, navigator.languages ?? []));
const held = document.getElementById("answer")?.textContent ?? "";
studio.present(JSON.parse(held) as TranslateAnswer);
document.body.append(document.createElement("translate-view"));
