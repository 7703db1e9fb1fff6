/** Sends mail to people. */

export interface Mailer {
  /**
   * Sends one mail. `code` repeats the code in its text, for mailboxes that show it separately.
   * @throws ProviderUnavailable, ProviderRefused
   */
  send(input: { to: string; subject: string; text: string; code?: string }): Promise<void>;
}
