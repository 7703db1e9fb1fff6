/** Mail that people get from us. */

export interface Mailer {
  /**
   * Hands one mail over; `code` is the code in its text, for mailboxes that show it apart.
   *
   * @throws ProviderUnavailable, ProviderRefused
   */
  send(input: { to: string; subject: string; text: string; code?: string }): Promise<void>;
}
