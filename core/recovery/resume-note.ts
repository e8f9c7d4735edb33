const causes: Record<string, string> = {
  restart_timeout: "the gateway was restarted",
  shutdown_timeout: "the gateway was shut down",
  restart_interrupted: "the gateway ended unexpectedly",
  orphaned_tool_call: "a tool call was left without its result",
};

/** What the agent of a resumed turn is told (lifecycle 10.5). It rides on the system text: no person wrote it. */
export const resumeNote = (reason: string): string =>
  [
    `Note from the gateway: the previous turn of this conversation was cut off because ${causes[reason] ?? "it was interrupted"}; the gateway is back.`,
    "Commands in the history that restart or stop the gateway have already run: do not repeat them. Do not run unfinished tool calls again; their outcome is unknown.",
    "If the person's last message is still unanswered, answer it now as far as that is possible without repeating such work; otherwise say that the session was restored and ask how to proceed.",
  ].join(" ");
