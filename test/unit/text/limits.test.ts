import { expect, test } from "vitest";
import { formatDefaultLimit, formatLimit } from "../../../src/text/limits.ts";

test("a limit is shown in its unit", () => {
	expect([formatLimit("count", 64), formatLimit("time", 5_400_000), formatLimit("usd", 0.5)]).toEqual([
		"64",
		"1h30m",
		"$0.50",
	]);
});

test("a default is shown as one would type it, and where there is none that is said", () => {
	expect([
		formatDefaultLimit("count", 64),
		formatDefaultLimit("time", 3_600_000),
		formatDefaultLimit("time", 300_000),
		formatDefaultLimit("usd", undefined),
	]).toEqual(["64", "1h", "5m", "no limit"]);
});
