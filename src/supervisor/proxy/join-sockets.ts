/** Two connections as one: what comes from either goes to the other, as fast as that takes it, until both have ended. */

import type { Socket } from "node:net";

const IDLE_MS = 15 * 60_000;

export function joinSockets(one: Socket, other: Socket): void {
	pass(one, other);
	pass(other, one);
}

function pass(from: Socket, to: Socket): void {
	from.pipe(to);
	from.setTimeout(IDLE_MS, () => from.destroy());
	from.on("error", () => to.destroy());
	from.on("close", () => {
		if (!from.readableEnded || !to.readableEnded) to.destroy(); // else both ends have been passed on
	});
}
