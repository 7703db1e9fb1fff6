/** Text messages that people get from us. */

export interface SmsSender {
  /**
   * Hands one message over to a number in E.164 form.
   *
   * @throws ProviderUnavailable; ProviderRefused, with status 400 for a number that no message can go to
   */
  send(input: { to: string; text: string }): Promise<void>;
}
