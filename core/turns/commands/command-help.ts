import type { CommandName } from "../command-parse.ts";

/** What each command takes and does, in the order in which help lists them. */
export const commandHelp: Readonly<Record<CommandName, { usage: string; about: string }>> = {
  new: { usage: "/new [title]", about: "end this conversation and start a fresh one" },
  reset: { usage: "/reset [title]", about: "the same as /new" },
  stop: { usage: "/stop", about: "stop the running turn; the conversation stays" },
  queue: { usage: "/queue <text>", about: "a message that waits for its own turn" },
  steer: { usage: "/steer <text>", about: "put text into the running turn" },
  busy: {
    usage: "/busy [interrupt|queue|steer]",
    about: "what a message does to a running turn here",
  },
  resume: { usage: "/resume [number|id|title]", about: "go back to an earlier session" },
  sessions: {
    usage: "/sessions [all|search <words>|<session>]",
    about: "list sessions, or go into one",
  },
  retry: { usage: "/retry", about: "send your last message again" },
  undo: { usage: "/undo [turns]", about: "take the last turns out of the conversation" },
  compress: {
    usage: "/compress [--preview] [focus | here [exchanges]]",
    about: "replace older messages by a summary",
  },
  status: { usage: "/status", about: "what this conversation is and does" },
  title: { usage: "/title [text]", about: "show or set the session's title" },
  branch: { usage: "/branch [title]", about: "go on in a copy of this conversation" },
  goal: {
    usage: "/goal [text | edit <text> | pause | resume | complete | block | clear]",
    about: "what this session works towards",
  },
  background: { usage: "/background <task>", about: "do something beside the conversation" },
  approve: { usage: "/approve [once|always]", about: "answer what waits with yes" },
  deny: { usage: "/deny", about: "answer what waits with no" },
  pause: {
    usage: "/pause [reason|off]",
    about: "start no new turns anywhere, or start them again",
  },
  restart: { usage: "/restart", about: "restart the gateway once running turns have ended" },
  help: { usage: "/help", about: "this list" },
};
