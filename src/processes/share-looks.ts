/**
 * One look for all who ask in the same moment. Each gets a look that was begun after it had asked: what it knew to be
 * over then, is over there. At most one is under way; who asks meanwhile gets the next one.
 */
export function shareLooks<T>(look: () => Promise<T>): () => Promise<T> {
	let underWay: Promise<unknown> = Promise.resolve();
	let next: Promise<T> | undefined;
	const begin = async () => {
		await underWay.catch(() => {});
		await new Promise((resolve) => void setImmediate(resolve)); // what the same batch of messages asks for
		next = undefined;
		const looking = look();
		underWay = looking;
		return looking;
	};
	return () => {
		next ??= begin();
		return next;
	};
}
