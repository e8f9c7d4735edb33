import "./theme/tokens.css";
import "./theme/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { Bridge } from "../core/contract/bridge.ts";
import { chooseBridge } from "./bridge/choose-bridge.ts";
import { speak, startTexts } from "./i18n/i18n.ts";
import { App } from "./shell/app.tsx";
import { createPanel, PanelProvider } from "./stores/panel.tsx";
import {
  PRESENTATION_KEY,
  presentationStore,
  readPresentation,
  shownTheme,
  type Presentation,
} from "./stores/presentation.ts";
import { browserTimer } from "./stores/timer.ts";

/** A made-up gateway for work on the panel itself: `npm run dev`, then `?fake=10000` once in a tab. */
async function developmentBridge(): Promise<Bridge | null> {
  const asked = new URLSearchParams(window.location.search).get("fake");
  if (asked !== null) sessionStorage.setItem("signalbox.fake", asked);
  const sessions = sessionStorage.getItem("signalbox.fake");
  if (sessions === null) return null;
  const { fakeBridge } = await import("./bridge/fake/fake-bridge.ts");
  const seed = { sessions: Number(sessions), nowMs: Date.now() };
  return fakeBridge(seed, { ...browserTimer, answerMs: 30 });
}

/** Keeps the document looking as the operator wants, and as the system does where nothing is wanted. */
function show(presentation: Presentation): void {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset["theme"] = shownTheme(presentation.theme, dark);
  root.dataset["density"] = presentation.density;
}

function stored(): string | null {
  try {
    return localStorage.getItem(PRESENTATION_KEY);
  } catch {
    return null;
  }
}

async function start(): Promise<void> {
  const presentation = presentationStore(
    readPresentation(stored(), navigator.languages),
    (text) => {
      try {
        localStorage.setItem(PRESENTATION_KEY, text);
      } catch {
        // refused: it holds until the page is left
      }
    },
  );
  show(presentation.store.getState());
  presentation.store.subscribe((state, before) => {
    show(state);
    if (state.language !== before.language) void speak(state.language);
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    show(presentation.store.getState());
  });

  const texts = await startTexts(presentation.store.getState().language);
  const bridge = (import.meta.env.DEV ? await developmentBridge() : null) ?? chooseBridge();
  const panel = createPanel({
    bridge,
    timer: browserTimer,
    presentation,
    draftPlace: localStorage,
    t: texts.t,
  });
  panel.start();
  const root = document.querySelector("#root");
  if (root === null) throw new Error("index.html has no #root");
  createRoot(root).render(
    <StrictMode>
      <PanelProvider panel={panel}>
        <App />
      </PanelProvider>
    </StrictMode>,
  );
}

void start();
