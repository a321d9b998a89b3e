/** The namespace in which the layers of a run are mounted: agent 1 makes it, and its commands are started in it. It lives as long as this process. */
import type { ChildProcess } from "node:child_process";
import { openSync } from "node:fs";
import { childProcess } from "../../processes/child-process.ts";
import { findNsenter } from "../../sandbox/find-nsenter.ts";
import { LAYER_ENVIRONMENT, layerArgs } from "../../sandbox/layers.ts";
import { keepFresh, type Within } from "../network/keep-fresh.ts";

const WITHIN_MS = 20_000;

/** Never rejects: without a namespace there are no layers, and the sandbox of a command cannot be made where it needs them. */
export async function openLayers(program: string, layers: string): Promise<Within> {
	const nsenter = findNsenter();
	if (nsenter === undefined) return { enter: [] };
	const inside = childProcess().spawn(program, layerArgs(layers), {
		...{ env: LAYER_ENVIRONMENT, stdio: ["pipe", "pipe", "ignore"] },
	});
	try {
		const pid = await pidOf(inside);
		const [user, mount] = ["user", "mnt"].map((name) => openSync(`/proc/${pid}/ns/${name}`, "r"));
		const pathOf = (file: number | undefined) => `/proc/${process.pid}/fd/${file}`; // open here alone: nothing that runs inside has it
		const enter = [nsenter, `--user=${pathOf(user)}`, `--mount=${pathOf(mount)}`, "--preserve-credentials", "--"];
		return { enter, keepFresh: keepFresh(enter) };
	} catch {
		return { enter: [] };
	} finally {
		inside.kill("SIGKILL");
	}
}

function pidOf(inside: ChildProcess): Promise<number> {
	return new Promise((resolve, reject) => {
		let told = "";
		const late = setTimeout(() => reject(new Error("late")), WITHIN_MS);
		inside.stdin?.on("error", () => {}); // its end says it all
		inside.stdout?.on("data", (chunk: Buffer) => {
			told += chunk.toString();
			const [, pid] = /^pid (\d+)$/m.exec(told) ?? [];
			if (pid !== undefined) resolve(Number(pid));
		});
		inside.once("error", reject);
		inside.once("close", () => {
			clearTimeout(late);
			reject(new Error("it has ended"));
		});
	});
}
