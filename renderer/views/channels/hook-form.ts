import { isHookName } from "./hook-command.ts";

export const chatTypes = ["dm", "group", "channel", "thread"] as const;
export type ChatType = (typeof chatTypes)[number];

/** A webhook as its dialog holds it: what was typed, not yet checked. */
export interface HookForm {
  name: string;
  /** Null keeps the stored one. */
  secret: string | null;
  outUrl: string;
  /** Seconds; empty is the default. */
  timeoutS: string;
  idempotent: boolean;
  chatType: ChatType;
  /** Empty: whichever agent is the default. */
  agent: string;
}

/** An entry of `channels.webhook` as `config.get` gives it: of secrets only whether they are there. */
export interface StoredHook {
  enabled: boolean;
  secret: { hasKey: boolean };
  out: {
    url: string;
    secret: { hasKey: boolean };
    timeoutMs: number;
    idempotent: boolean;
  } | null;
  agent: string | null;
  chatType: ChatType;
}

export const DEFAULT_TIMEOUT_MS = 10_000; // `channels.webhook.<name>.out.timeoutMs` in core/config/schema.ts

/** A new hook, or the form of a stored one. */
export function hookForm(name: string, stored: StoredHook | null): HookForm {
  const { out = null } = stored ?? {};
  const timeoutMs = out?.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  return {
    name,
    secret: stored === null ? "" : null,
    outUrl: out?.url ?? "",
    timeoutS: timeoutMs === DEFAULT_TIMEOUT_MS ? "" : String(timeoutMs / 1_000),
    idempotent: out?.idempotent ?? false,
    chatType: stored?.chatType ?? "dm",
    agent: stored?.agent ?? "",
  };
}

export type HookFault = "name" | "nameTaken" | "secret" | "outUrl" | "timeout";
export type HookField = "name" | "secret" | "outUrl" | "timeoutS";

/** What is wrong with what was typed, by field. */
export function hookFaults(
  form: HookForm,
  taken: readonly string[],
): Partial<Record<HookField, HookFault>> {
  const faults: Partial<Record<HookField, HookFault>> = {};
  if (!isHookName(form.name)) faults.name = "name";
  else if (taken.includes(form.name)) faults.name = "nameTaken";
  if (form.secret?.trim() === "") faults.secret = "secret";
  const url = form.outUrl.trim();
  if (url !== "" && (!URL.canParse(url) || !/^https?:/i.test(url))) faults.outUrl = "outUrl";
  const seconds = Number(form.timeoutS);
  const inRange = Number.isFinite(seconds) && seconds >= 0.1 && seconds <= 300;
  if (url !== "" && form.timeoutS.trim() !== "" && !inRange) faults.timeoutS = "timeout";
  return faults;
}

/** The settings entry of a form. Members at their default are left out; a secret that stays is named as kept. */
export function hookEntry(form: HookForm, stored: StoredHook | null): Record<string, unknown> {
  const url = form.outUrl.trim();
  const timeout = form.timeoutS.trim();
  return {
    ...(stored?.enabled === false ? { enabled: false } : {}),
    secret: form.secret ?? { hasKey: true },
    ...(form.chatType === "dm" ? {} : { chatType: form.chatType }),
    ...(form.agent === "" ? {} : { agent: form.agent }),
    ...(url === ""
      ? {}
      : {
          out: {
            url,
            ...(stored?.out?.secret.hasKey === true ? { secret: { hasKey: true } } : {}),
            ...(timeout === "" ? {} : { timeoutMs: Math.round(Number(timeout) * 1_000) }),
            ...(form.idempotent ? { idempotent: true } : {}),
          },
        }),
  };
}

/** The field of the form that an error of the gateway speaks of; null for the form as a whole. */
export function faultyField(path: unknown): HookField | null {
  if (typeof path !== "string") return null;
  if (path.endsWith(".out.url")) return "outUrl";
  if (path.endsWith(".out.timeoutMs")) return "timeoutS";
  if (path.endsWith(".secret")) return "secret";
  return /^channels\.webhook\.[^.]*$/.test(path) ? "name" : null;
}
