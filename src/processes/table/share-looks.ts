/**
 * Makes a function whose callers share looks. Each caller gets a look that begins after its call, so that a process which
 * it knows to be over is over in that look. One look is made at a time; calls during it share the next one. `rest` is
 * waited for after each look.
 */
export function shareLooks<T>(look: () => Promise<T>, rest: () => Promise<unknown> = async () => {}): () => Promise<T> {
	let underWay: Promise<unknown> = Promise.resolve();
	let next: Promise<T> | undefined;
	const begin = async () => {
		await underWay;
		await new Promise((resolve) => void setImmediate(resolve)); // lets all calls of one batch of messages share the look
		next = undefined;
		const looking = look();
		underWay = looking.then(rest, () => {});
		return looking;
	};
	return () => {
		next ??= begin();
		return next;
	};
}
