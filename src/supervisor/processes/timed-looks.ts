/** Looks at the process table that take a part of the time only, however long each takes. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Look, ProcessTable } from "../../processes/process-table.ts";
import { shareLooks } from "../../processes/share-looks.ts";

const REST = 4; // × the time of a look passes before the next shared one: they take a fifth of a core at most

export class TimedLooks {
	/** For several callers: each look begins after they have asked. */
	readonly shared: () => Promise<Look>;
	/** How long the last one took. */
	lastMs = 0;
	private readonly table: ProcessTable;
	private readonly elapsed: () => number;

	constructor(table: ProcessTable, elapsed: () => number) {
		this.table = table;
		this.elapsed = elapsed;
		this.shared = shareLooks(
			() => this.fresh(),
			() => sleep(REST * this.lastMs, undefined, { ref: false }),
		);
	}

	async fresh(): Promise<Look> {
		const look = await this.table.freshLook();
		const before = this.elapsed();
		look.list();
		this.lastMs = this.elapsed() - before;
		return look;
	}
}
