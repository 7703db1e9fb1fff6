/** Markdown is imported as text, so that a bundle of the server has it. */
declare module "*.md" {
  const text: string;
  export default text;
}
