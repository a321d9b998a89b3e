/** What this process does about a bug: at first it only says so, and whoever starts something here adds what must end. */
import { Bugs } from "../../terminal/bugs.ts";

export const bugs = new Bugs(Date.now);
