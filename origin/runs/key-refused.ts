/** The message is shown to the action's author. */
export class KeyRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KeyRefused'
  }
}
