-- The role of server and worker in compose.yaml, made before the first start. `migrate` gives it its rights.
create role cardkeep_service login password 'cardkeep';
