import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PipeStock } from "../../../../src/supervisor/processes/pipe-stock.ts";

const NOW = 1_795_800_000_000;

/** A stock whose pipes are plain files, made when the test says so. */
function stockIn(directory: string) {
	const asked: (() => Promise<void>)[] = [];
	const make = (paths: readonly string[]) =>
		new Promise<undefined>((resolve) => {
			asked.push(async () => {
				for (const path of paths) if (existsSync(join(path, ".."))) writeFileSync(path, "");
				resolve(undefined);
				await new Promise(setImmediate);
			});
		});
	const stock = new PipeStock(join(directory, "run.sock"), NOW, make);
	const makeAll = async () => {
		for (const made of asked.splice(0)) await made();
	};
	return { stock, asked, makeAll };
}

function temporaryDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-stock-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

test("no pipe is given twice, and more are made when few are left, in one go at a time", async () => {
	const directory = temporaryDirectory();
	const { stock, asked, makeAll } = stockIn(directory);
	expect(stock.take(2)).toEqual([]);
	expect(asked.length).toBe(1);
	await makeAll();
	const names = [...stock.take(6), ...stock.take(2)];
	expect(asked.length).toBe(0);
	names.push(...stock.take(20));
	expect([names.length, new Set(names).size, asked.length]).toEqual([16, 16, 1]);
	expect(readdirSync(join(directory, "run.pipes")).sort()).toEqual(names.sort());
	await makeAll();
	expect(stock.take(1)).toEqual(["stock-17"]);
});

test("once a run has used its first pipes more are made at once, and earlier", async () => {
	const { stock, asked, makeAll } = stockIn(temporaryDirectory());
	await makeAll();
	stock.take(9);
	await makeAll();
	expect(stock.take(36).length).toBe(36);
	expect(asked.length).toBe(0);
	stock.take(4);
	expect(asked.length).toBe(1);
});

test("the end of a run removes all pipes, also those that are just being made", async () => {
	const directory = temporaryDirectory();
	const { stock, makeAll } = stockIn(directory);
	await makeAll();
	stock.take(12);
	stock.close();
	await makeAll();
	expect(readdirSync(directory)).toEqual([]);
	expect(stock.take(1)).toEqual([]);
});

test("the pipes of runs that are over are removed, but not those of a run that listens or has just begun", () => {
	const directory = temporaryDirectory();
	const pipesOf = (run: string, ageMs: number) => {
		mkdirSync(join(directory, `${run}.pipes`));
		writeFileSync(join(directory, `${run}.pipes`, "stock-1"), "");
		utimesSync(join(directory, `${run}.pipes`), new Date(NOW - ageMs), new Date(NOW - ageMs));
	};
	pipesOf("over", 61_000);
	pipesOf("begun", 59_000);
	pipesOf("listens", 61_000);
	writeFileSync(join(directory, "listens.sock"), "");
	stockIn(directory);
	expect(readdirSync(directory).sort()).toEqual(["begun.pipes", "listens.pipes", "listens.sock", "run.pipes"]);
});
