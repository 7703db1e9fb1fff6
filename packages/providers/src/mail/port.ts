/** Sends mail to people. */

export interface Mailer {
  /**
   * Sends one mail; `html` is the same as its text, for programs that show it. `code` repeats the code in its text, for mailboxes that show it separately.
   * @throws ProviderUnavailable, ProviderRefused
   */
  send(input: { to: string; subject: string; text: string; html?: string; code?: string }): Promise<void>;
}
