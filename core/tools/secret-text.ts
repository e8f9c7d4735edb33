/** Shapes of credentials that are never handed from one session to another (state-awareness 10.3). */
const secrets: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}\b/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\b\d{8,10}:[A-Za-z0-9_-]{35}\b/g,
  /\bey[JK][A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b/g,
  /(?<=\bBearer\s)[A-Za-z0-9._~+/-]{16,}=*/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=\b(?:password|passwd|secret|api[_-]?key|token)\s*[:=]\s*["']?)[^\s"']{8,}/gi,
];

/** The text with what looks like a credential taken out. */
export function redactedSecrets(text: string): { text: string; redacted: boolean } {
  let clean = text;
  for (const pattern of secrets) clean = clean.replaceAll(pattern, "[redacted]");
  return { text: clean, redacted: clean !== text };
}
