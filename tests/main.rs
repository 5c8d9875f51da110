mod layering;
