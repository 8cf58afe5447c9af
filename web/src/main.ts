// Starts the page: language and theme first, so that nothing flickers.
import "./hangul.css"; // the studio serves the font; a notebook has none to fetch
import "./theme.css";
import { firstLanguage, language } from "./i18n";
import { theme, type ThemeChoice } from "./theme";

function recall(name: string): string | null {
  try {
    return localStorage.getItem(`jumok.${name}`);
  } catch {
    return null;
  }
}

language.set(firstLanguage(location.search, recall("lang"), navigator.languages ?? []));
const shade = recall("theme");
if (shade === "light" || shade === "dark") theme.set(shade as ThemeChoice);
document.fonts.addEventListener("loadingdone", ({ fontfaces }) => {
  if (fontfaces.some(({ family }) => family.includes("Jumok Hangul"))) document.documentElement.dataset.hangul = "";
});
void import("./components/app-shell");
