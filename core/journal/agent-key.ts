/** The parts of `agent:<agentId>:<rest>`, both non-empty; null for every other key (state-awareness 0.1). */
export function agentQualified(key: string): { agentId: string; rest: string } | null {
  if (!key.startsWith("agent:")) return null;
  const at = key.indexOf(":", 6);
  if (at <= 6 || at === key.length - 1) return null;
  return { agentId: key.slice(6, at), rest: key.slice(at + 1) };
}

/** The owning agent of a key; `main` for keys that name none. */
export const agentOf = (key: string): string => agentQualified(key)?.agentId ?? "main";

/** Whether the key is a child run's; letter case is ignored (0.1). */
export const isSubagentKey = (key: string): boolean =>
  agentQualified(key)?.rest.toLowerCase().startsWith("subagent:") === true;

/** The key of an agent's main session. */
export const mainKey = (agentId: string): string => `agent:${agentId}:main`;

export const isMainKey = (key: string): boolean => agentQualified(key)?.rest === "main";

/** Whether a queued notice also starts a turn of its watcher: every session but a child's (6.4). */
export const isWoken = (watcherKey: string): boolean => !isSubagentKey(watcherKey);
