const BYTE_UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** `1 byte`, `1000 bytes`, `1.5 KiB`, `976 KiB`, `2 GiB`. Rounded down. */
export function formatBytes(bytes: number): string {
	if (bytes < 1024) return bytes === 1 ? "1 byte" : `${Math.floor(bytes)} bytes`;
	const power = Math.min(BYTE_UNITS.length, Math.floor(Math.log2(bytes) / 10));
	const amount = bytes / 1024 ** power;
	return `${amount < 10 ? Math.floor(amount * 10) / 10 : Math.floor(amount)} ${BYTE_UNITS[power - 1]}`;
}
