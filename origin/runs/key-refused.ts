/** The message is shown to the action's author. */
export class KeyRefusedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KeyRefusedError'
  }
}
