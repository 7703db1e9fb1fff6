/** Corrections of packages' sources, applied while they are compiled. */

interface Correction {
  /** Import path of the source. */
  path: string;
  /** Pairs of a published text and its replacement. Each published text occurs once in the source. */
  replacements: readonly (readonly [published: string, corrected: string])[];
}

const corrections: readonly Correction[] = [
  {
    // The canonical Delay module accepts an ERC-1271 wallet's answer only if the call succeeded. The published source
    // drops that flag, so a wallet that reverts with the magic value counts as signed. Every Safe 1.3.0 with the
    // standard fallback handler forwards such a revert from any contract that the signature names.
    path: "@gnosis.pm/zodiac/contracts/signature/SignatureChecker.sol",
    replacements: [
      [
        "(, bytes memory returnData) = signer.staticcall(",
        "(bool success, bytes memory returnData) = signer.staticcall(",
      ],
      [
        "return bytes4(returnData) == EIP1271_MAGIC_VALUE;",
        "return success && bytes4(returnData) == EIP1271_MAGIC_VALUE;",
      ],
    ],
  },
];

/**
 * A package's source with corrections.
 * @throws Error if a text to replace does not occur exactly once
 */
export function patchSource(path: string, source: string): string {
  const replacements = corrections.find((correction) => correction.path === path)?.replacements ?? [];
  return replacements.reduce((text, [published, corrected]) => {
    const count = text.split(published).length - 1;
    if (count !== 1) throw new Error(`${path} has changed: expected "${published}" once, found it ${count} times`);
    return text.replace(published, () => corrected);
  }, source);
}

/** All corrections, for a fingerprint of what is compiled. */
export const correctionsText: string = JSON.stringify(corrections);
