import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { Session, WebContents, WebFrameMain, WebPreferences } from "electron";
import type { CDPSession, Page } from "playwright";
import { real, shown } from "./addresses.ts";
import type { ChromiumProcess } from "./chromium-process.ts";
import { preventable } from "./events.ts";
import { handleInvoke } from "./ipc-main.ts";
import { bridgeHalf, denyWindowOpen, preloadModule } from "./worlds.ts";
import type { FromMain, ToMain } from "./worlds.ts";

const PRELOAD_WORLD = "Electron Isolated Context";
const TO_MAIN = "toMain";
const OPENED = "stand-in:opened";

type OpenHandler = Parameters<WebContents["setWindowOpenHandler"]>[0];

let lastId = 0;

const byPage = new Map<Page, StandInWebContents>();

/** @returns undefined for pages that no window of the app made. */
export const contentsOf = (page: Page): StandInWebContents | undefined => byPage.get(page);

/** The page of one window: a Chromium page, its preload run for real in an isolated world of it. */
export class StandInWebContents extends EventEmitter {
  readonly id = ++lastId;
  readonly session: Session;
  readonly page: Promise<Page>;
  readonly mainFrame: Pick<WebFrameMain, "url" | "origin" | "parent">;
  private readonly preferences: WebPreferences;
  private cdp: CDPSession | undefined;
  private frameId = "";
  private address = "";
  private preloadContext: number | undefined;
  private openHandler: OpenHandler = () => ({ action: "allow" });
  private commanded = false;
  private gone = false;

  constructor(chromium: ChromiumProcess, session: Session, preferences: WebPreferences) {
    super();
    this.session = session;
    this.preferences = preferences;
    const address = () => this.address;
    this.mainFrame = {
      parent: null,
      get url() {
        return address();
      },
      get origin() {
        const url = URL.parse(address());
        return url ? `${url.protocol}//${url.host}` : "";
      },
    };
    this.page = this.prepare(chromium, preferences);
  }

  private async prepare(chromium: ChromiumProcess, { preload }: WebPreferences): Promise<Page> {
    const page = await chromium.newPage();
    byPage.set(page, this);
    page.on("close", () => {
      byPage.delete(page);
      if (this.gone) return;
      this.gone = true;
      this.emit("destroyed");
    });
    page.on("crash", () =>
      this.emit("render-process-gone", {}, { reason: "crashed", exitCode: 1 }),
    );
    const cdp = await page.context().newCDPSession(page);
    this.cdp = cdp;
    cdp.on("Runtime.executionContextCreated", ({ context }) => {
      const { frameId } = (context.auxData ?? {}) as { frameId?: string };
      if (context.name === PRELOAD_WORLD && frameId === this.frameId)
        this.preloadContext = context.id;
    });
    cdp.on("Runtime.executionContextDestroyed", ({ executionContextId }) => {
      if (executionContextId === this.preloadContext) this.preloadContext = undefined;
    });
    cdp.on("Runtime.bindingCalled", ({ executionContextId, name, payload }) => {
      if (name !== TO_MAIN || executionContextId !== this.preloadContext) return;
      void this.received(JSON.parse(payload) as ToMain, executionContextId);
    });
    cdp.on("Page.frameNavigated", ({ frame }) => {
      if (frame.id !== this.frameId) return;
      this.address = real(frame.url);
      this.emit("did-navigate", {}, this.address, 200, "OK");
    });
    cdp.on("Page.navigatedWithinDocument", ({ frameId, url }) => {
      if (frameId === this.frameId) this.address = real(url);
    });
    cdp.on("Page.loadEventFired", () => {
      this.emit("did-finish-load");
    });
    cdp.on("Page.windowOpen", ({ url }) => {
      this.opened(url); // links to a new window; `window.open` itself never gets this far
    });
    const { frameTree } = await cdp.send("Page.getFrameTree");
    this.frameId = frameTree.frame.id;
    await cdp.send("Page.enable");
    await cdp.send("Runtime.enable");
    await cdp.send("Runtime.addBinding", { name: TO_MAIN, executionContextName: PRELOAD_WORLD });
    await cdp.send("Page.addScriptToEvaluateOnNewDocument", {
      source: `if (window === top) {
        (${bridgeHalf.toString()})("stand-in:to-preload", "stand-in:to-page");
        (${denyWindowOpen.toString()})("${OPENED}");
      }`,
    });
    await cdp.send("Page.addScriptToEvaluateOnNewDocument", {
      worldName: PRELOAD_WORLD,
      source: `if (window === top) {
        const half = (${bridgeHalf.toString()})("stand-in:to-page", "stand-in:to-preload");
        const host = (${preloadModule.toString()})(half, ${TO_MAIN});
        globalThis.fromMain = host.fromMain;
        document.addEventListener("${OPENED}", (event) => {
          ${TO_MAIN}(JSON.stringify({ type: "opened", id: 0, channel: event.detail, args: [] }));
        });
        const require = (name) => {
          if (name === "electron") return host.module;
          throw new Error("A sandboxed preload cannot require " + name);
        };
        const module = { exports: {} };
        (function (require, module, exports) {
          ${preload === undefined ? "" : readFileSync(preload, "utf8")}
        })(require, module, module.exports);
      }`,
    });
    return page;
  }

  private async received(message: ToMain | { type: "opened"; channel: string }, context: number) {
    if (message.type === "opened") {
      this.opened(message.channel);
      return;
    }
    if (message.type === "send") return; // nothing in the app listens to one-way messages
    const event = { sender: this, senderFrame: this.mainFrame };
    const args = message.args.map(({ value }) => value);
    const reply: FromMain = { type: "reply", id: message.id, args: [] };
    try {
      reply.args = [await handleInvoke(event, message.channel, args)];
    } catch (thrown) {
      reply.error = `Error invoking remote method '${message.channel}': ${String(thrown)}`;
    }
    this.tell(reply, context);
  }

  private tell(message: FromMain, context: number): void {
    // Fails where the document was left meanwhile: then nobody is there to be told.
    this.cdp
      ?.send("Runtime.callFunctionOn", {
        functionDeclaration: "function (message) { globalThis.fromMain(message); }",
        executionContextId: context,
        arguments: [{ value: message }],
      })
      .catch(() => undefined);
  }

  private opened(url: string): void {
    const details = { url: real(url), frameName: "", features: "" };
    const { action } = this.openHandler({
      ...details,
      disposition: "new-window",
      referrer: { url: this.address, policy: "default" },
    });
    if (action !== "deny")
      throw new Error("stand-in: only windows that are denied are stood in for");
  }

  /**
   * Asks the app about a navigation that it did not itself start.
   *
   * @returns Whether it may go on.
   */
  mayNavigate(url: string, isMainFrame: boolean): boolean {
    if (isMainFrame && this.commanded) return true;
    const event = preventable({ url: real(url), isMainFrame, isSameDocument: false });
    this.emit("will-frame-navigate", event);
    if (isMainFrame && !event.defaultPrevented) this.emit("will-navigate", event, event.url);
    return !event.defaultPrevented;
  }

  /** What the page of `origin` may do; holds as long as the page is there. */
  async permit(origin: string, permission: { name: string }, granted: boolean): Promise<void> {
    const setting = granted ? "granted" : "denied";
    await this.cdp?.send("Browser.setPermission", { origin, permission, setting });
  }

  /** Gives the browser's window the size of the app's. Best effort: it may close meanwhile. */
  resize(width: number, height: number): void {
    const apply = async () => {
      await this.page;
      const found = await this.cdp?.send("Browser.getWindowForTarget");
      const bounds = { width, height };
      if (found)
        await this.cdp?.send("Browser.setWindowBounds", { windowId: found.windowId, bounds });
    };
    apply().catch(() => undefined);
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.page;
    await this.command(() => page.goto(shown(url)));
  }

  reload(): void {
    void this.page.then((page) => this.command(() => page.reload()));
  }

  private async command(go: () => Promise<unknown>): Promise<void> {
    this.commanded = true;
    try {
      await go();
    } finally {
      this.commanded = false;
    }
  }

  getLastWebPreferences(): WebPreferences {
    return { ...this.preferences };
  }

  getURL(): string {
    return this.address;
  }

  isDestroyed(): boolean {
    return this.gone;
  }

  send(channel: string, ...args: unknown[]): void {
    if (this.gone) throw new TypeError("Object has been destroyed");
    if (this.preloadContext !== undefined)
      this.tell({ type: "event", channel, args }, this.preloadContext);
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler;
  }
}
