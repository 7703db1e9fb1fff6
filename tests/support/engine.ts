/**
 * How the JavaScript engine compiles in a test run. Most code runs a few times there, so compiling it as early as in a program
 * that lasts costs more than it saves. Processor time of test files falls by a tenth, of a started program by a fifth.
 */
export const engineSettings = {
  BUN_JSC_thresholdForJITAfterWarmUp: "5000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
} as const;
