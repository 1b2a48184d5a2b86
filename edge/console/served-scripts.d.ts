/** What scripts import when it is needed, from where it is served: each is built of its folder's `module.ts`. */
declare module '*/scripts/editor.js' {
  export const mountEditor: (typeof import('./editor/module.ts'))['mountEditor']
}

declare module '*/scripts/charts.js' {
  export const drawChart: (typeof import('./charts/module.ts'))['drawChart']
}
