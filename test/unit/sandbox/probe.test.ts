/** A sandbox that could be made is remembered until something that it depends on changes; one that could not is tried again. */
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rememberedProbe } from "../../../src/sandbox/probe.ts";

/** A bwrap that counts its trials and ends with that status. */
function fakeBwrap(status: number) {
	const home = mkdtempSync(join(tmpdir(), "agentree-probe-"));
	onTestFinished(() => rmSync(home, { recursive: true, force: true }));
	const [program, log, memory] = ["bwrap", "log", "memory"].map((name) => join(home, name)) as [string, string, string];
	writeFileSync(program, `#!/bin/sh\necho tried >> ${log}\nexit ${status}\n`);
	chmodSync(program, 0o755);
	return {
		program,
		memory,
		probe: () => rememberedProbe({ PATH: home }, memory),
		trials: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0),
	};
}

test.skipIf(process.platform !== "linux")("a sandbox that could be made is not tried again until bwrap changes", () => {
	const { program, memory, probe, trials } = fakeBwrap(0);
	const found = { is: "found", program };
	expect([probe(), probe(), trials()]).toEqual([found, found, 1]);
	appendFileSync(program, "\n");
	expect([probe(), probe(), trials()]).toEqual([found, found, 2]);
	writeFileSync(memory, readFileSync(memory, "utf8").replace(/"boot":"./, '"boot":"z'));
	expect([probe(), trials()]).toEqual([found, 3]);
});

test.skipIf(process.platform !== "linux")("one that could not be made is tried each time", () => {
	const { probe, trials } = fakeBwrap(1);
	expect([probe().is, probe().is, trials()]).toEqual(["none", "none", 2]);
});
