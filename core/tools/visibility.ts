import { agentOf, isMainKey } from "../journal/agent-key.ts";

export type Visibility = "self" | "tree" | "agent" | "all";

export interface VisibilityRules {
  visibility: Visibility;
  agentToAgent: { enabled: boolean; allow: readonly string[] };
}

/** Why a session may not be seen, as a stable code (state-awareness 10.5). */
export type Denial =
  | "self_visibility_restricted"
  | "tree_visibility_restricted"
  | "cross_agent_visibility_restricted"
  | "agent_to_agent_disabled"
  | "agent_to_agent_not_allowed";

const sentences: Record<Denial, string> = {
  self_visibility_restricted:
    "Only this session itself can be seen: the setting tools.sessions.visibility is self.",
  tree_visibility_restricted:
    "Only this session and those it spawned can be seen: the setting tools.sessions.visibility is tree.",
  cross_agent_visibility_restricted:
    "Only sessions of the same agent can be seen: the setting tools.sessions.visibility is agent.",
  agent_to_agent_disabled:
    "Sessions of other agents cannot be reached: the setting tools.agentToAgent.enabled is off.",
  agent_to_agent_not_allowed:
    "Sessions of that agent cannot be reached: the setting tools.agentToAgent.allow does not name both agents.",
};
export const denialText = (denial: Denial): string => `${sentences[denial]} (${denial})`;

const globMatches = (glob: string, id: string): boolean =>
  new RegExp(
    `^${glob
      .split("*")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join(".*")}$`,
    "i",
  ).test(id);

/**
 * Whether a session may see another (state-awareness 10.5). The first rule that holds decides.
 * @param descends Whether the target was spawned by the requester, at whatever distance.
 */
export function decideVisibility(
  requester: string,
  target: string,
  descends: boolean,
  { visibility, agentToAgent }: VisibilityRules,
): Denial | null {
  if (requester === target) return null;
  if (visibility === "self") return "self_visibility_restricted";
  if (descends) return null; // a requester's own children stay reachable, across agents too
  const mine = agentOf(requester);
  const theirs = agentOf(target);
  if (visibility === "tree")
    return isMainKey(requester) && mine === theirs ? null : "tree_visibility_restricted";
  if (mine === theirs) return null;
  if (visibility === "agent") return "cross_agent_visibility_restricted";
  if (!agentToAgent.enabled) return "agent_to_agent_disabled";
  const allows = (id: string): boolean =>
    agentToAgent.allow.length === 0 || agentToAgent.allow.some((glob) => globMatches(glob, id));
  return allows(mine) && allows(theirs) ? null : "agent_to_agent_not_allowed";
}

/**
 * What a requester is told of every session that it may not see, whether or not there is one; null under rules that hide
 * nothing.
 */
export function generalDenial({ visibility, agentToAgent }: VisibilityRules): Denial | null {
  switch (visibility) {
    case "self":
      return "self_visibility_restricted";
    case "tree":
      return "tree_visibility_restricted";
    case "agent":
      return "cross_agent_visibility_restricted";
    case "all":
      if (!agentToAgent.enabled) return "agent_to_agent_disabled";
      return agentToAgent.allow.length === 0 ? null : "agent_to_agent_not_allowed";
  }
}
