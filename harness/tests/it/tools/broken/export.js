export const description = 'Written as a module.';
