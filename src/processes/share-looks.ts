/**
 * One look for all who ask in the same moment. Each gets a look that was begun after it had asked: what it knew to be
 * over then, is over there. At most one is under way; who asks meanwhile gets the next one. `rest`: after each look.
 */
export function shareLooks<T>(look: () => Promise<T>, rest: () => Promise<unknown> = async () => {}): () => Promise<T> {
	let underWay: Promise<unknown> = Promise.resolve();
	let next: Promise<T> | undefined;
	const begin = async () => {
		await underWay;
		await new Promise((resolve) => void setImmediate(resolve)); // what the same batch of messages asks for
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
