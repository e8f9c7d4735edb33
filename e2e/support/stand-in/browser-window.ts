import { EventEmitter } from "node:events";
import type { BrowserWindowConstructorOptions, Rectangle, Session } from "electron";
import { app, chromium } from "./app.ts";
import { defaultSession } from "./session.ts";
import { preventable } from "./events.ts";
import { StandInWebContents } from "./web-contents.ts";

const open = new Set<StandInWindow>();

/** One window: bounds and states are kept as told, its content is a real page. */
export class StandInWindow extends EventEmitter {
  readonly webContents: StandInWebContents;
  private bounds: Rectangle;
  private maximized = false;
  private visible: boolean;

  static getAllWindows(): StandInWindow[] {
    return [...open];
  }

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super();
    const { x = 0, y = 0, width = 800, height = 600, show = true } = options;
    this.bounds = { x, y, width, height };
    this.visible = show;
    this.webContents = new StandInWebContents(
      chromium(),
      defaultSession as unknown as Session,
      options.webPreferences ?? {},
    );
    open.add(this);
    this.webContents.resize(width, height);
    this.webContents.once("did-finish-load", () => {
      this.emit("ready-to-show");
      app.emit("stand-in:loaded");
    });
    this.webContents.once("destroyed", () => {
      this.closed();
    });
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url);
  }

  reload(): void {
    this.webContents.reload();
  }

  /** As a person closes it: the app may refuse. */
  close(): void {
    const event = preventable({});
    this.emit("close", event);
    if (!event.defaultPrevented) this.destroy();
  }

  destroy(): void {
    void this.webContents.page.then((page) => page.close());
  }

  private closed(): void {
    open.delete(this);
    this.emit("closed");
    if (open.size === 0) app.allWindowsClosed();
  }

  getNormalBounds(): Rectangle {
    return { ...this.bounds };
  }

  setBounds(bounds: Partial<Rectangle>): void {
    this.bounds = { ...this.bounds, ...bounds };
    this.webContents.resize(this.bounds.width, this.bounds.height);
  }

  maximize(): void {
    this.maximized = true;
  }

  show(): void {
    this.visible = true;
    this.emit("show");
  }

  focus(): void {
    this.emit("focus");
  }

  restore(): void {
    this.maximized = false;
  }

  isDestroyed = (): boolean => this.webContents.isDestroyed();
  isMaximized = (): boolean => this.maximized;
  isMinimized = (): boolean => false;
  isVisible = (): boolean => this.visible;
}
