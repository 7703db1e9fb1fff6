import { addressDeclaration } from "@cardkeep/contract/ibans";

/** What an owner of the Safe signs, word for word. */
export const signingMessage = async (): Promise<{ data: { message: string } }> => ({
  data: { message: addressDeclaration },
});
