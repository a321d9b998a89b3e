/** The process that keeps the layers of a run mounted, in namespaces of its own: in them agent 1 starts the sandboxes of its commands. */
import { type ChildProcess, spawn } from "node:child_process";
import { LAYER_ENVIRONMENT, layerArgs } from "../../sandbox/layers.ts";
import { TRIAL_MS } from "../../sandbox/probe.ts";

export interface LayersKeeper {
	/** What it says once all is mounted; nothing of one that ended before, or did not say so in time. Never rejects. */
	readonly said: Promise<{ readonly mounts: string; readonly pid?: number }>;
	end(): void;
}

/** `program`: bwrap. The process is in a session of its own: Ctrl-C is for the supervisor alone, with which the kernel ends it. */
export function keepLayers(program: string, table: string): LayersKeeper {
	try {
		const keeper = spawn(program, layerArgs(table), {
			...{ env: LAYER_ENVIRONMENT, detached: true },
			stdio: ["ignore", "pipe", "ignore"],
		});
		return { said: whatIsSaid(keeper), end: () => void keeper.kill("SIGKILL") };
	} catch {
		return { said: Promise.resolve({ mounts: "" }), end: () => {} }; // as where the system has too little memory left
	}
}

function whatIsSaid(keeper: ChildProcess): LayersKeeper["said"] {
	return new Promise((resolve) => {
		let mounts = "";
		let isOver = false;
		const end = (pid?: number) => {
			isOver = true;
			clearTimeout(late);
			resolve(pid === undefined ? { mounts: "" } : { mounts, pid });
		};
		const giveUp = () => {
			if (isOver) return;
			keeper.kill("SIGKILL");
			end(); // mount(8) may hang, and keeps the pipe open
		};
		const late = setTimeout(() => setImmediate(giveUp), TRIAL_MS); // what was said while this process was held up comes first
		keeper.stdout?.on("data", (chunk: Buffer) => {
			mounts += chunk.toString();
			const [, pid] = /^pid (\d+)$/m.exec(mounts) ?? [];
			if (pid === undefined) return;
			keeper.unref();
			keeper.stdout?.destroy();
			end(Number(pid));
		});
		keeper.once("error", () => end());
		keeper.once("close", () => end());
	});
}
