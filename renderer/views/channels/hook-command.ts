/** A hook's name as the settings take it: part of a path and of an address. */
export const isHookName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name);

/** 32 random bytes in base64url: as strong as the gateway's own token. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** For a POSIX shell: one word, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export interface HookCommandOptions {
  /** The hook's whole address. */
  url: string;
  /** Null where it is not known here any more: its place is marked. */
  secret: string | null;
  /** What stands in the secret's place then. */
  secretPlace: string;
  text: string;
}

/**
 * A POSIX shell command that posts one signed message to a hook: HMAC-SHA256 over `<unix seconds>.<body>`,
 * as `core/channels/webhook-signature.ts` checks it. Each run is a new message.
 */
export function hookCommand({ url, secret, secretPlace, text }: HookCommandOptions): string {
  const message = JSON.stringify(text).replaceAll("'", String.raw`'\''`);
  return [
    `secret=${quoted(secret ?? secretPlace)}`,
    "ts=$(date +%s)",
    `body='{"messageId":"try-'$ts'","text":${message}}'`,
    `sig=$(printf '%s.%s' "$ts" "$body" | openssl dgst -sha256 -hmac "$secret" | sed 's/^.* //')`,
    `curl -sS ${quoted(url)} \\`,
    "  -H 'content-type: application/json' \\",
    `  -H "x-signalbox-timestamp: $ts" \\`,
    `  -H "x-signalbox-signature: sha256=$sig" \\`,
    `  --data-binary "$body"`,
  ].join("\n");
}

/** The whole address of a path of the gateway; null where this window's host opens no port. */
export function gatewayAddress(path: string, origin: string): string | null {
  return /^https?:\/\//.test(origin) ? `${origin}${path}` : null;
}
