/** The options of `runAction` are invalid. The message names the option, and says how to correct it. */
export class TestSetupError extends Error {
  override readonly name = 'TestSetupError'
}
