/**
 * The connections of one model. Node's `fetch` keeps its sockets in a pool that belongs to the process and that nothing
 * closes, which holds the process after its last answer. So a model has a pool of its own, of the same class: undici, which
 * is inside Node but cannot be imported, shows its pool under a well-known symbol once a fetch class has been touched.
 */
export interface ConnectionPool {
	/** For the SDK; absent where this Node keeps its pool elsewhere: then the process's pool is used. */
	readonly fetchOptions?: { dispatcher: never };
	/** Ends all connections at once, also those of calls under way. */
	close(): void;
}

const POOL_SYMBOLS = [Symbol.for("undici.globalDispatcher.1"), Symbol.for("undici.globalDispatcher.2")];

interface Dispatcher {
	destroy(): Promise<void>;
}

export function openConnectionPool(): ConnectionPool {
	void globalThis.Headers; // loads undici
	const known = globalThis as unknown as Record<symbol, object | undefined>;
	const shared = POOL_SYMBOLS.map((symbol) => known[symbol]).find((pool) => pool !== undefined);
	if (shared === undefined) return { close: () => {} };
	const Pool = shared.constructor as new () => Dispatcher;
	const pool = new Pool();
	return {
		fetchOptions: { dispatcher: pool as never },
		close: () => {
			pool.destroy().catch(() => {}); // closing twice is no error
		},
	};
}
