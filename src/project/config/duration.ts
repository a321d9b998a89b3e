const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `90s`, `30m`, `2h`, `1h30m` → milliseconds; undefined for anything else, such as a number without a unit. */
export function parseDuration(text: string): number | undefined {
	if (!/^(\d{1,9}(\.\d{1,3})?(ms|s|m|h|d))+$/.test(text)) return undefined;
	let ms = 0;
	for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
		ms += Number(amount) * (UNITS[unit ?? ""] ?? 0);
	return Math.round(ms);
}
