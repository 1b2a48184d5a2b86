/** Modules that scripts import at runtime from their served paths, each built from the `module.ts` of its folder. */
declare module '*/scripts/editor.js' {
  export const mountEditor: (typeof import('./editor/module.ts'))['mountEditor']
}

declare module '*/scripts/charts.js' {
  export const drawChart: (typeof import('./charts/module.ts'))['drawChart']
}
