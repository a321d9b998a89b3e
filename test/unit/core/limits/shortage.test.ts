import { expect, test } from "vitest";
import {
	DEFAULT_BOUNDS,
	logsForbiddenBy,
	type MachineResources,
	shortagesIn,
} from "../../../../src/core/limits/shortage.ts";

const GIB = 1024 ** 3;
const PLENTY: MachineResources = { outputBytes: 0, freeDiskBytes: 100 * GIB, freeMemoryPercent: 60 };
const kinds = (resources: Partial<MachineResources>, before: Parameters<typeof shortagesIn>[2] = []) =>
	shortagesIn({ ...PLENTY, ...resources }, DEFAULT_BOUNDS, before).map(({ what }) => what);

test("with plenty of everything, or when the system tells nothing, there is no shortage", () => {
	expect(kinds({})).toEqual([]);
	expect(kinds({ freeDiskBytes: undefined, freeMemoryPercent: undefined })).toEqual([]);
});

test("what is kept free is a bound that may be reached, not passed; the output's may not be reached", () => {
	expect(kinds({ freeMemoryPercent: 10, freeDiskBytes: GIB, outputBytes: 2 * GIB - 1 })).toEqual([]);
	expect(kinds({ freeMemoryPercent: 9.9, freeDiskBytes: GIB - 1, outputBytes: 2 * GIB })).toEqual([
		"memory",
		"disk",
		"output",
	]);
});

test("a shortage is over at a tenth more than where it began, so that it does not come and go, and keeps its reason", () => {
	const before = shortagesIn({ ...PLENTY, freeMemoryPercent: 5, freeDiskBytes: 0 }, DEFAULT_BOUNDS, []);
	expect(shortagesIn({ ...PLENTY, freeMemoryPercent: 10.5, freeDiskBytes: GIB }, DEFAULT_BOUNDS, before)).toEqual(
		before,
	);
	expect(kinds({ freeMemoryPercent: 11, freeDiskBytes: 1.1 * GIB }, before)).toEqual([]);
});

test("a run that has printed too much has printed too much for ever, also when somebody removes its logs", () => {
	const before = shortagesIn({ ...PLENTY, outputBytes: 3 * GIB }, DEFAULT_BOUNDS, []);
	expect(kinds({ outputBytes: 0 }, before)).toEqual(["output"]);
});

test("logs are forbidden by a full disk and by too much output, not by little memory, and the reason has the numbers", () => {
	const forbiddenBy = (resources: Partial<MachineResources>) =>
		logsForbiddenBy(shortagesIn({ ...PLENTY, ...resources }, DEFAULT_BOUNDS, []));
	expect(forbiddenBy({ freeMemoryPercent: 1 })).toBeUndefined();
	expect(forbiddenBy({ freeDiskBytes: 5 * 1024 ** 2 })).toBe(
		"only 5 MiB are free on the disk that stores the run, and 1 GiB must stay free",
	);
	expect(forbiddenBy({ outputBytes: 2 * GIB })).toBe("the commands of this run have printed more than 2 GiB in total");
});

// Seen to fail with all sizes in whole MiB: "0 MiB", "943718400 MiB".
test.each([
	[1, "1 byte"],
	[1000, "1000 bytes"],
	[1536, "1.5 KiB"],
	[1_000_000, "976 KiB"],
	[2_684_354_560, "2.5 GiB"],
	[900 * 1024 ** 4, "900 TiB"],
	[4000 * 1024 ** 5, "4000 PiB"],
])("a bound of %d bytes is told as %s", (maxOutputBytes, told) => {
	const resources = { ...PLENTY, outputBytes: maxOutputBytes };
	expect(logsForbiddenBy(shortagesIn(resources, { ...DEFAULT_BOUNDS, maxOutputBytes }, []))).toBe(
		`the commands of this run have printed more than ${told} in total`,
	);
});
