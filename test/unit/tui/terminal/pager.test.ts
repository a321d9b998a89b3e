import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Pager, pagerCommand } from "../../../../src/tui/terminal/chosen-program.ts";
import { WAIT } from "../../../wait.ts";

const { PATH } = process.env;
const all = () => true;

test("the person's pager is taken as it is, but for one that shows nothing and one that would end at once", () => {
	expect(pagerCommand({ PAGER: "most -s" }, all)).toBe("most -s");
	expect(pagerCommand({ PAGER: "/usr/bin/less -RX" }, all)).toBe("/usr/bin/less -RX -+F");
	expect(pagerCommand({ PAGER: "cat" }, all)).toBe("less -R -+F");
	expect(pagerCommand({ PAGER: " " }, all)).toBe("less -R -+F");
	expect(pagerCommand({}, (name) => name === "more")).toBe("more");
	expect(pagerCommand({}, () => false)).toBeUndefined();
	expect(pagerCommand({ PATH: "/nowhere::" })).toBeUndefined();
});

function pagerTo(command: (file: string) => string) {
	const directory = mkdtempSync(join(tmpdir(), "agentree-pager-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const file = join(directory, "text");
	return { pager: new Pager({ PATH, PAGER: command(file) }), read: () => readFileSync(file, "utf8") };
}

async function* pieces(count: number): AsyncGenerator<string> {
	for (let piece = 0; piece < count; piece++) yield `${piece} ${"x".repeat(60_000)}\n`;
}

test("a text of any size comes to its standard input whole", async () => {
	const { pager, read } = pagerTo((file) => `tee ${file} > /dev/null`);
	expect(await pager.show(pieces(100))).toBeUndefined();
	const text = read();
	expect([text.length, text.slice(-60_005, -60_000)]).toEqual([6_000_390, "\n99 x"]);
});

test("a pager that is left before the end takes no more, and that is no trouble", async () => {
	let given = 0;
	async function* counted() {
		for await (const piece of pieces(10_000)) {
			given++;
			yield piece;
		}
	}
	const { pager } = pagerTo(() => "head -c 10 > /dev/null");
	expect(await pager.show(counted())).toBeUndefined();
	expect(given).toBeLessThan(10_000);
});

test("a pager that is closed ends, and not only the shell that has started it", async () => {
	const directory = mkdtempSync(join(tmpdir(), "agentree-pager-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const [program, pidFile] = [join(directory, "pager"), join(directory, "pid")];
	writeFileSync(program, `#!/bin/sh\necho $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600\n`, {
		mode: 0o755,
	});
	const pager = new Pager({ PATH, PAGER: `${program} -x` });
	const shown = pager.show(["text"]);
	const pid = await vi.waitFor(() => Number(readFileSync(pidFile, "utf8")), WAIT);
	pager.close();
	expect(await shown).toBeUndefined();
	expect(() => process.kill(pid, "SIGKILL")).toThrow("ESRCH"); // else it ends it
});
