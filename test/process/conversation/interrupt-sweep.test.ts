/**
 * A person interrupts at every moment. After each the transcript is one that a service takes, the next message is answered,
 * nothing is left running, and all that was used is accounted for.
 */
import { test } from "vitest";
import { interruptAt, MOMENTS } from "./interrupt-sweep.ts";

test.each(MOMENTS)("when $when", (moment) => interruptAt(moment));
