/** Sends text messages to people. */

export interface SmsSender {
  /**
   * Sends one message to a number in E.164 form.
   * @throws ProviderUnavailable; ProviderRefused, with status 400, for a number that cannot receive messages, and for no other fault
   */
  send(input: { to: string; text: string }): Promise<void>;
}
