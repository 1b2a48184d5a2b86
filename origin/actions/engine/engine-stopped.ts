/** Thrown through the engine's own frames when a run must end inside a loop that asks nobody. */
export class EngineStopped extends Error {
  constructor() {
    super('the run was stopped inside the engine')
    this.name = 'EngineStopped'
  }
}
