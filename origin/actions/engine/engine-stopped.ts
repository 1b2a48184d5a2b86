/**
 * Thrown through the engine's own frames to stop a run inside a native loop that does not poll the interrupt handler.
 */
export class EngineStopped extends Error {
  constructor() {
    super('the run was stopped inside the engine')
    this.name = 'EngineStopped'
  }
}
