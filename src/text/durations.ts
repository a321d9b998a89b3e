/** Durations as people read them. */

/** `850ms`, `12s`, `3m05s`, `1h02m`. Rounded down; never negative, since the system's time may be set back meanwhile. */
export function formatDuration(ms: number): string {
	if (ms < 1000) return `${Math.max(0, Math.floor(ms))}ms`;
	const seconds = Math.floor(ms / 1000);
	if (seconds < 60) return `${seconds}s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes}m${twoDigits(seconds % 60)}s`;
	return `${Math.floor(minutes / 60)}h${twoDigits(minutes % 60)}m`;
}

/** `0s`, `12s`, `3m05s`, `1h02m`: how long something has been going on. In whole seconds, so that what shows it need not change more often. */
export function formatElapsed(ms: number): string {
	return ms < 1000 ? "0s" : formatDuration(ms);
}

/** `12s`, `5m`, `3h`, `12d`: how long ago, for lists of what may be old. Rounded down; never negative. */
export function formatAge(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	if (seconds < 60) return `${seconds}s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes}m`;
	const hours = Math.floor(minutes / 60);
	return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** `12 s`, `2m05s`: a wait that counts down, so it is rounded up. One that is over is `0 s`. */
export function formatWait(ms: number): string {
	const seconds = Math.max(0, Math.ceil(ms / 1000));
	return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

function twoDigits(n: number): string {
	return String(n).padStart(2, "0");
}
