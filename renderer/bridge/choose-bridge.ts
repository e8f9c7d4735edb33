import type { Bridge } from "../../core/contract/bridge.ts";
import { ipcBridge } from "./ipc-bridge.ts";
import { webSocketBridge } from "./web-socket-bridge.ts";

/** The bridge of the host this page is in: the desktop's preload where there is one, else the page's own origin. */
export function chooseBridge(): Bridge {
  if (window.signalbox !== undefined) return ipcBridge(window.signalbox);
  const url = new URL("/ws", window.location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return webSocketBridge({
    open({ opened, text, closed }) {
      const socket = new WebSocket(url);
      socket.addEventListener("open", opened);
      socket.addEventListener("message", (event) => {
        text(event.data);
      });
      socket.addEventListener("close", closed);
      return {
        send(message) {
          socket.send(message);
        },
        close() {
          socket.close();
        },
      };
    },
    after(ms, fn) {
      const timer = setTimeout(fn, ms);
      return () => {
        clearTimeout(timer);
      };
    },
    random: Math.random,
  });
}
